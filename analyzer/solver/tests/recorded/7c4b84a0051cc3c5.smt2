(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (<= (+ (+ (+ 9 (* 7 v0)) (* (- 6) v1)) (* 6 v2)) 39) :named a0))
(assert (! (= (+ (+ (+ (- 4) (* (- 7) v0)) (* 5 v1)) (* 7 v2)) 32) :named a1))
(assert (! (<= (+ (+ (+ 3 (* (- 2) v0)) (* 5 v1)) (* 4 v2)) 33) :named a2))
(check-sat)
; answer: sat 0=-3 1=3 2=0
