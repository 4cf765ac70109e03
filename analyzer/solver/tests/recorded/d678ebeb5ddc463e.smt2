(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (or (or (= 1 (+ (ite (= (+ (* 2 (- 6)) v0) (+ (+ (- 3) v1) v0)) 8 6) v0)) (< (- 7) (* 1 v1))) (not (= (ite (or (= v1 (let ((l v0) (r (- 2))) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (< v0 (* 3 (- (- 7) v0)))) v0 3) (let ((l (+ 9 v1)) (r (let ((l v1) (r v1)) (ite (<= l r) r l)))) (ite (<= l r) r l))))) :named a0))
(assert (! (and (and (<= v0 (- (* (- 4) v1) (- v0 2))) (= (let ((l (+ 4 v1)) (r 1)) (ite (>= l 0) (div l r) (- (div (- l) r)))) 7)) (and (< (+ v1 (- v0 (- 4))) (* (- 10) (+ v1 v0))) (< (* (- 3) (- v1)) (let ((l (+ v0 v0)) (r (- v0 (- 9)))) (ite (<= l r) l r))))) :named a1))
(check-sat)
; answer: unsat 1
