(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (and (distinct (* (- 5) v1) 0) (or (= (let ((l (- v1 v1)) (r (* (- 5) v1))) (ite (>= l 0) (div l r) (- (div (- l) r)))) (- (ite (= (+ (+ 1 v1) (+ 1 v1)) (* 3 (+ v1 (- 8)))) (- 7) v1) 7)) (>= (- (let ((l v0) (r v1)) (ite (<= l r) r l)) (+ v1 v0)) (- (+ v0 (- 6)))))) :named a0))
(check-sat)
; answer: sat 0=0 1=7
