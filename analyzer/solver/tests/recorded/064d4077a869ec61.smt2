(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 128) v0 127))
(declare-const v1 Int)
(assert (<= (- 128) v1 127))
(assert (! (not (or (= 0 v0) (>= (- (ite (= (* 3 (- (- 6) v0)) (- 6)) 10 v1) (* 8 v1)) 6))) :named a0))
(assert (! (and (distinct (+ v1 v1) 0) (or (= 8 (ite (and (<= (let ((l (* v0 (- 7))) (r (+ v1 v1))) (ite (>= l 0) (mod l r) (- (mod (- l) r)))) v0) (< v1 (+ (- v0 v1) v0))) (- (- 2)) (- (- 5) v0))) (and (distinct (* 1 (ite (= (* (- 7) (- 6 (- 2))) (+ (+ v0 (- 2)) (+ v1 (- 5)))) v1 v0)) (+ v0 v0)) (> v1 v0)))) :named a1))
(check-sat)
; answer: sat 0=-50 1=1
