(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (and (or (= (- (- 5) v1) (* (- 2) (let ((l 0) (r 0)) (ite (<= l r) l r)))) (distinct (- (let ((l v0) (r v1)) (ite (<= l r) r l)) v0) (+ (- (- 10)) (+ v2 v1)))) (>= v2 (+ (+ (- 3) v0) (+ (- 3) v1)))) :named a0))
(check-sat)
; answer: sat 0=1 1=-3 2=-8
