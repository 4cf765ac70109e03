(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 2147483648) v0 2147483647))
(declare-const v1 Int)
(assert (<= (- 2147483648) v1 2147483647))
(assert (! (< (let ((l (- 6)) (r (+ (* (- 7) v0) v0))) (ite (<= l r) l r)) (+ (+ (- v0) v0) (- (- v0 v1) (mod v1 4)))) :named a0))
(assert (! (or (and (< 7 (- (let ((l (+ v0 v0)) (r v1)) (ite (<= l r) r l)) (- v1 (let ((l (- 1)) (r 4)) (ite (>= l 0) (div l r) (- (div (- l) r))))))) (= (+ (+ (- (- 1)) (+ v1 10)) v0) 1)) (or (= (- 1 (mod (* 3 v0) 4)) (* (- 6) (+ v0 (- v0 v0)))) (= v1 (- 3)))) :named a1))
(check-sat)
; answer: sat 0=0 1=-10
