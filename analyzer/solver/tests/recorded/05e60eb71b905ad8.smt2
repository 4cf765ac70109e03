(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (not (distinct (let ((l v0) (r (+ v0 v1))) (ite (<= l r) r l)) (let ((l (+ (- 5) v0)) (r v0)) (ite (<= l r) l r)))) :named a0))
(assert (! (not (or (distinct (* 2 (+ 0 v1)) (let ((l (+ v1 v1)) (r (* v0 v0))) (ite (<= l r) r l))) (= (* (- 9) (let ((l v1) (r (- 3))) (ite (<= l r) l r))) v1))) :named a1))
(check-sat)
; answer: unsat 0
