(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (> (+ 6 (ite (>= (- (+ v1 (- 8))) (* (- 10) (+ v2 v0))) v2 v0)) (- (- 5 v2))) :named a0))
(assert (! (not (and (distinct (- (let ((l v2) (r v1)) (ite (<= l r) l r)) (+ v2 0)) (+ (+ 10 8) v0)) (>= v2 v0))) :named a1))
(assert (! (not (and (< (- v1 (- v2)) (+ (ite (> (+ 2 (+ v2 v1)) (let ((l (- v1)) (r 9)) (ite (>= l 0) (div l r) (- (div (- l) r))))) v1 (- 3)) v0)) (= v0 (- (- v1 v2))))) :named a2))
(check-sat)
; answer: sat 0=1 1=-2 2=0
