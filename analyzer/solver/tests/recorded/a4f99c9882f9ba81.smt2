(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (and (or (= (+ v0 v0) (* 8 v0)) (>= (* 2 (* 8 v1)) (let ((l v0) (r (let ((l v0) (r 5)) (ite (>= l 0) (mod l r) (- (mod (- l) r)))))) (ite (<= l r) l r)))) (< (let ((l 5) (r 1)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (* 0 (+ v1 v1)))) :named a0))
(assert (! (not (not (= (+ (- v0) v0) v1))) :named a1))
(assert (! (or (not (= (+ 5 v0) (- 3))) (or (<= (let ((l (+ v0 v0)) (r (+ (- 5) v0))) (ite (<= l r) l r)) (- (+ v0 v0) (+ v0 v0))) (<= (let ((l (+ v1 v0)) (r (+ v0 v1))) (ite (<= l r) r l)) (let ((l (+ v1 v0)) (r (+ v0 v0))) (ite (<= l r) r l))))) :named a2))
(assert (! (and (not (>= (let ((l (* (- 6) v1)) (r 4)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (let ((l v1) (r (+ v1 (- 9)))) (ite (<= l r) l r)))) (or (> (- 8) 0) (<= (+ (+ v0 v0) (let ((l v1) (r (- 5))) (ite (>= l 0) (div l r) (- (div (- l) r))))) (- v0)))) :named a3))
(check-sat)
; answer: unsat 0
