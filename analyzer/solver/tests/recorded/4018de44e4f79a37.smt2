(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(declare-const v3 Int)
(assert (! (< (+ (+ (+ (+ (- 6) (* 9 v0)) (* (- 6) v1)) (* (- 8) v2)) (* (- 5) v3)) 14) :named a0))
(assert (! (<= (+ (+ (+ (+ 9 (* 8 v0)) (* (- 8) v1)) (* (- 9) v2)) (* 4 v3)) (- 8)) :named a1))
(check-sat)
; answer: sat 0=9 1=0 2=9 3=-2
