(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 128) v0 127))
(declare-const v1 Int)
(assert (<= (- 128) v1 127))
(assert (! (and (=> (or (= v0 (ite (and (= (- v1 (+ v1 v0)) (+ (+ (- 8) (- 6)) (* (- 3) (- 8)))) (<= v1 8)) (- v1 v0) (- (- 5) (- 1)))) (< (- (- v1 v0) (- v0)) v1)) (distinct v0 0)) (and (or (= v0 (ite (and (= (- v1 (+ v1 v0)) (+ (+ (- 8) (- 6)) (* (- 3) (- 8)))) (<= v1 8)) (- v1 v0) (- (- 5) (- 1)))) (< (- (- v1 v0) (- v0)) v1)) (= (ite (and (> (ite (< (* 8 (let ((l v1) (r v0)) (ite (>= l 0) (div l r) (- (div (- l) r))))) 2) (let ((l v0) (r 3)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (+ v0 v1)) (* 7 (* v1 v1))) (= (let ((l (- 0 (- 10))) (r (* v0 v1))) (ite (<= l r) l r)) (* v0 (+ (- 6) 10)))) (* 5 v1) (let ((l v0) (r v1)) (ite (<= l r) r l))) (+ (- v1 v1) v1)))) :named a0))
(assert (! (and (and (or (= (* 1 1) (* (- 2) (let ((l 2) (r v0)) (ite (<= l r) r l)))) (distinct v0 0)) (or (or (= (* 1 1) (* (- 2) (let ((l 2) (r v0)) (ite (<= l r) r l)))) (= (ite (or (>= v1 (+ (let ((l v0) (r v0)) (ite (<= l r) l r)) (* 8 v1))) (< (* (- 2) (+ (- 2) v1)) v0)) (* (- 1) 8) (+ 4 v0)) (* (- 3) (let ((l v1) (r v0)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))))) (=> (= (- (* v0 v1) (- 5)) v1) (distinct v0 0)))) (or (or (= (* 1 1) (* (- 2) (let ((l 2) (r v0)) (ite (<= l r) r l)))) (= (ite (or (>= v1 (+ (let ((l v0) (r v0)) (ite (<= l r) l r)) (* 8 v1))) (< (* (- 2) (+ (- 2) v1)) v0)) (* (- 1) 8) (+ 4 v0)) (* (- 3) (let ((l v1) (r v0)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))))) (and (= (- (* v0 v1) (- 5)) v1) (= (- (let ((l (- 1)) (r v0)) (ite (>= l 0) (mod l r) (- (mod (- l) r)))) (let ((l 5) (r 3)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (- (ite (>= (+ (+ v0 v0) 6) (* (- 10) 9)) v0 2)))))) :named a1))
(check-sat)
; answer: sat 0=-4 1=4
