(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (<= (+ (+ (- 5) (* 5 v0)) (* 1 v1)) (- 47)) :named a0))
(assert (! (< (+ (+ 9 (* 2 v0)) (* (- 3) v1)) 43) :named a1))
(assert (! (= (+ (+ (- 7) (* (- 1) v0)) (* 1 v1)) 23) :named a2))
(assert (! (= (+ (+ (- 5) (* (- 8) v0)) (* (- 2) v1)) 8) :named a3))
(check-sat)
; answer: unsat 3
