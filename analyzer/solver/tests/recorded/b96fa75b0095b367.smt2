(set-logic ALL)
(declare-const v0 Int)
(assert (<= (- 32768) v0 32767))
(declare-const v1 Int)
(assert (<= (- 32768) v1 32767))
(assert (! (and (distinct v1 0) (> (- (mod (+ (+ (- (mod (+ (let ((l v0) (r v1)) (ite (>= l 0) (div l r) (- (div (- l) r)))) 32768) 65536) 32768) 9) 32768) 65536) 32768) (ite (not (> v1 10)) v0 7))) :named a0))
(check-sat)
; answer: sat 0=1 1=-1
