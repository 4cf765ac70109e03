(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (<= (+ (+ 9 (* 6 v0)) (* 3 v1)) (- 12)) :named a0))
(assert (! (<= (+ (+ (- 7) (* 2 v0)) (* 3 v1)) (- 49)) :named a1))
(assert (! (<= (+ (+ 6 (* 3 v0)) (* (- 8) v1)) (- 35)) :named a2))
(check-sat)
; answer: sat 0=-19 1=-2
