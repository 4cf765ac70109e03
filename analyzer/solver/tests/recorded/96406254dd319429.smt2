(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (or (= (let ((l (let ((l v1) (r (- 3))) (ite (<= l r) r l))) (r 8)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (ite (distinct (* 10 v1) (+ v0 (ite (= (* (- 3) (+ v0 v1)) v1) v1 6))) (ite (> (* 0 (- v0 v1)) v1) 2 v1) (+ v0 v1))) (or (< v0 v0) (<= (+ (let ((l v1) (r (- 10))) (ite (>= l 0) (mod l r) (- (mod (- l) r)))) v0) (* 6 (+ v1 v0))))) :named a0))
(check-sat)
; answer: sat 0=1 1=-1
