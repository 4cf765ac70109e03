(set-logic ALL)
(declare-const v0 Int)
(declare-const v1 Int)
(declare-const v2 Int)
(assert (! (or (and (<= (let ((l (+ v0 9)) (r (- 4))) (ite (>= l 0) (div l r) (- (div (- l) r)))) (let ((l v1) (r (- 9))) (ite (>= l 0) (mod l r) (- (mod (- l) r))))) (distinct (+ (+ 6 v1) (* 3 v0)) v1)) (or (= (ite (and (> (let ((l (- v1)) (r 2)) (ite (>= l 0) (mod l r) (- (mod (- l) r)))) (- 5)) (<= (* 3 (- v0)) v1)) (* (- 5) (- 1)) (let ((l (- 4)) (r v1)) (ite (<= l r) r l))) (ite (or (>= (ite (or (< (* (- 7) (+ v2 v0)) (let ((l (* (- 10) v1)) (r 6)) (ite (<= l r) l r))) (= (+ (let ((l v2) (r (- 3))) (ite (>= l 0) (mod l r) (- (mod (- l) r)))) v1) v1)) (- 2 v1) (- v2 v0)) (+ (+ (- 10) v0) (+ 8 v0))) (> (+ (+ v1 v0) v0) (+ (+ 9 v2) v2))) (+ (- 10) v0) (- v1 v1))) (<= (let ((l (ite (> (+ v1 (- v2 2)) (+ (* 7 1) (- v0 v1))) v2 v2)) (r v0)) (ite (<= l r) r l)) (+ (* (- 7) v0) (let ((l 1) (r (- 5))) (ite (<= l r) r l)))))) :named a0))
(check-sat)
; answer: sat 0=-6 1=0 2=0
