(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (= (- 3) (let ((l (- v1)) (r (* (- 6) v2))) (ite (<= l r) l r))) :named a0))
(assert (! (or (and (> (+ v2 v2) v2) (>= 8 (let ((l (* (- 4) 10)) (r (+ v0 v0))) (ite (<= l r) r l)))) (and (distinct v1 (- (+ v2 v1) v2)) (< (+ (- v2 v2) v0) (+ v1 v0)))) :named a1))
(check-sat)
; answer: unsat 0 1
