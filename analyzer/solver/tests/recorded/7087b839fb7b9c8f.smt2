(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (< (let ((l (- 6)) (r (+ v1 v0))) (ite (<= l r) l r)) (* 3 (+ v0 9))) :named a0))
(assert (! (or (not (= (let ((l (let ((l v1) (r (- 5))) (ite (>= l 0) (div l r) (- (div (- l) r))))) (r (let ((l 4) (r v1)) (ite (<= l r) r l)))) (ite (<= l r) l r)) (* 0 7))) (or (= (let ((l (+ v0 v0)) (r v1)) (ite (<= l r) r l)) (- v1 (let ((l (- 1)) (r 4)) (ite (>= l 0) (div l r) (- (div (- l) r)))))) (= (+ (+ v1 (- 1)) (+ v1 10)) v0))) :named a1))
(check-sat)
; answer: sat 0=0 1=5
