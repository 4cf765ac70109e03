(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (< (+ (+ (+ (+ (- 6) (* 1 v0)) (* (- 9) v1)) (* 0 v2)) (* (- 2) v3)) 2) :named a0))
(assert (! (= (+ (+ (+ (+ 4 (* 8 v0)) (* (- 8) v1)) (* 1 v2)) (* 6 v3)) 18) :named a1))
(check-sat)
; answer: sat 0=0 1=0 2=14 3=0
