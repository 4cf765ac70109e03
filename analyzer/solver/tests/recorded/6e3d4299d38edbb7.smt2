(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (and (and (distinct (* 2 (* 9 v1)) (+ (* (- 8) 7) v1)) (>= (* 7 (+ v0 v1)) (- (+ (- 9) v1) (ite (> v1 (+ (- v0) (+ v0 v0))) v1 v1)))) (or (= (- v0) (+ v1 v0)) (>= (+ (+ v0 (- 7)) v0) (- 10)))) :named a0))
(check-sat)
; answer: sat 0=0 1=-1
