(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (<= (+ (+ v0 v2) v0) (ite (or (distinct (+ (* (- 7) v1) (let ((l (- 7)) (r 2)) (ite (<= l r) l r))) (+ (+ (- 1) v0) (let ((l v1) (r v2)) (ite (<= l r) l r)))) (= (+ (- v1 (- 8)) (+ v0 v0)) (+ (+ v0 v1) v0))) (+ v1 v1) (+ v1 v1))) :named a0))
(assert (! (or (or (> (+ v0 v0) (- 9)) (> (+ (- v1) 2) (+ (+ v0 v0) (+ v2 v0)))) (and (distinct (+ v0 v0) (* 3 (- 10))) (= (+ v2 (+ v1 v1)) (let ((l (let ((l 7) (r (- 5))) (ite (>= l 0) (div l r) (- (div (- l) r))))) (r (* (- 10) 9))) (ite (<= l r) r l))))) :named a1))
(assert (! (not (and (<= (* 8 (* 0 v2)) (let ((l (- v1)) (r (* (- 8) 4))) (ite (<= l r) r l))) (< v2 v2))) :named a2))
(check-sat)
; answer: sat 0=0 1=0 2=0
