(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 128) v0 127))
(declare-const v1 Int)
(assert (<= (- 128) v1 127))
(assert (! (and (distinct (* (- 2) v1) 0) (= (+ v1 (- (- 8) v1)) (ite (and (> (+ v1 (+ v0 3)) (let ((l v0) (r (* (- 2) v1))) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (= v0 v1)) (+ v0 v0) (let ((l v0) (r v0)) (ite (<= l r) r l))))) :named a0))
(check-sat)
; answer: sat 0=-8 1=-1
