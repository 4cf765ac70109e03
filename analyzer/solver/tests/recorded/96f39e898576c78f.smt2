(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(assert (! (not (and (= (- (* 3 v1) (* 8 (- 7))) v1) (= 8 (- (+ v0 5) (+ 1 v0))))) :named a0))
(assert (! (or (or (= v0 (- v1 (let ((l v1) (r 7)) (ite (<= l r) r l)))) (= (+ (* (- 7) v1) v0) (- 1))) (>= (let ((l (+ (- 7) v0)) (r (+ v1 7))) (ite (<= l r) r l)) v0)) :named a1))
(assert (! (and (and (or (= (+ (- 4) v0) (+ (+ 4 v0) v0)) (distinct 0 0)) (=> (or (= (+ (- 4) v0) (+ (+ 4 v0) v0)) (distinct (- (let ((l 1) (r 0)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (+ (- 3) (+ v1 v0)))) (=> (= (* 10 (+ v1 v0)) (- v1)) (distinct 0 0)))) (and (or (= (+ (- 4) v0) (+ (+ 4 v0) v0)) (distinct (- (let ((l 1) (r 0)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (+ (- 3) (+ v1 v0)))) (or (= (ite (and (= (* 10 (+ v1 v0)) (- v1)) (> (- (- v1 v1)) (let ((l v0) (r 0)) (ite (>= l 0) (mod l r) (- (mod (- l) r)))))) (+ 3 v0) (- v1)) (+ (+ (- 6) v1) v0)) (< (+ (let ((l v0) (r v0)) (ite (<= l r) l r)) (- 4)) 4)))) :named a2))
(assert (! (and (not (> (ite (and (= 8 (let ((l 9) (r 2)) (ite (>= l 0) (div l r) (- (div (- l) r))))) (< (+ (+ v1 v0) v0) (+ (let ((l v0) (r 9)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (- 2 0)))) (* (- 8) (- 7)) (let ((l (- 10)) (r v0)) (ite (<= l r) r l))) v1)) (or (= (+ v1 (+ (- 2) v0)) (* 8 (- 2))) (= v1 (ite (or (= (- (+ (- 3) v0) (let ((l v0) (r 3)) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (* 2 (+ v0 v1))) (= (* 8 (- 8)) (* 3 (ite (= (let ((l (* (- 8) v1)) (r 5)) (ite (>= l 0) (div l r) (- (div (- l) r)))) (+ (- 1 v1) v0)) v1 (- 6))))) (* (- 10) v0) (+ 1 9))))) :named a3))
(check-sat)
; answer: sat 0=-8 1=-6
