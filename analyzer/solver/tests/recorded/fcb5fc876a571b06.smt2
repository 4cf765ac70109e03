(set-logic ALL)
(declare-const v1 Int)
(assert (! (<= v1 v1) :named a0))
(check-sat)
; answer: sat 1=0
