(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (< (+ (+ (+ (+ 2 (* 6 v0)) (* 5 v1)) (* (- 5) v2)) (* (- 5) v3)) (- 14)) :named a0))
(assert (! (< (+ (+ (+ (+ (- 4) (* 6 v0)) (* 0 v1)) (* (- 4) v2)) (* (- 9) v3)) (- 23)) :named a1))
(check-sat)
; answer: sat 0=-2 1=-1 2=0 3=2
