(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 128) v0 127))
(declare-const v1 Int)
(assert (<= (- 128) v1 127))
(assert (! (and (and (distinct (* v1 v0) 0) (distinct (let ((l 9) (r v0)) (ite (<= l r) l r)) 0)) (= (* (ite (>= (+ (+ (- 6) 2) (* (- 10) v0)) (let ((l (let ((l (- 5)) (r 10)) (ite (<= l r) l r))) (r (* v1 v0))) (ite (>= l 0) (div l r) (- (div (- l) r))))) v1 v0) (- v1 v0)) (let ((l v1) (r (let ((l 9) (r v0)) (ite (<= l r) l r)))) (ite (>= l 0) (mod l r) (- (mod (- l) r)))))) :named a0))
(check-sat)
; answer: sat 0=-2 1=-1
