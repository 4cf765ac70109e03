(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (not (or (= (* (- 8) (let ((l v0) (r v1)) (ite (<= l r) l r))) (- (- v0))) (distinct 9 (- 9)))) :named a0))
(assert (! (> v0 v1) :named a1))
(assert (! (or (or (= (- (let ((l v0) (r 0)) (ite (<= l r) r l)) v1) (+ (+ (- 3) v1) v0)) (= (+ (+ v0 0) (+ 1 v0)) (+ (+ v1 v0) (let ((l v1) (r 6)) (ite (>= l 0) (div l r) (- (div (- l) r))))))) (or (= (+ (- 2) (+ v0 v1)) (let ((l v1) (r (- v0))) (ite (<= l r) l r))) (>= v0 v0))) :named a2))
(check-sat)
; answer: unsat 0
