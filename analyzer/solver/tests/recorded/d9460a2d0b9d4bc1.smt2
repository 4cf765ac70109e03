(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (>= (+ (ite (distinct v0 (* (- 7) (- 9))) v0 v0) (+ 1 1)) (+ 4 v0)) :named a0))
(assert (! (or (and (< v1 v0) (>= 4 v1)) (not (< (+ (+ v0 v0) v0) (+ (+ 8 v0) v0)))) :named a1))
(check-sat)
; answer: unsat 0
