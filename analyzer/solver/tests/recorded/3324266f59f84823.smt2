(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (and (=> (< v1 v1) (distinct (+ v1 v0) 0)) (or (and (< v1 v1) (<= (+ (- v1 v1) (* (- 8) v0)) (let ((l (* (- 6) (- 6))) (r (+ v1 v0))) (ite (>= l 0) (mod l r) (- (mod (- l) r)))))) (or (= (- (- 2 v1) (* 1 v1)) (* (- 9) (+ v0 v1))) (distinct (ite (or (= (+ (* 10 6) (- v1 (- 6))) v1) (>= (+ v0 (- v0 v1)) (- (+ 8 v0)))) (let ((l v1) (r (- 1))) (ite (<= l r) l r)) (+ 8 v0)) (ite (not (<= (* (- 7) v1) v1)) (+ v0 v1) (+ v0 v0)))))) :named a0))
(check-sat)
; answer: sat 0=0 1=0
