;; Dot products of one query with many rows (dot-kernel.ts). `npm run generate` compiles this file to kernel-bytes.ts.
(module
  ;; The query and the results belong to one thread.
  (import "kernel" "memory" (memory $own 1))
  ;; The rows may be in a file that threads share.
  (import "rows" "memory" (memory $file 1 65536 shared))

  ;; Writes the dot products of the query (16-bit components) with `count` rows (8-bit components), one 32-bit number each, to `out`. The rows follow
  ;; each other, with `stride` components each, a multiple of 8. Four rows share each load of the query, so up to three numbers after the last
  ;; row mean nothing. Nothing overflows as long as 128 × stride × the largest component of the query is below 2^31.
  (func (export "dots") (param $query i32) (param $rows i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $r1 i32) (local $r2 i32) (local $r3 i32) (local $at i32) (local $rowEnd i32) (local $outEnd i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $q v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $fourRows
        (br_if $done (i32.ge_u (local.get $out) (local.get $outEnd)))
        (local.set $at (local.get $query))
        (local.set $rowEnd (i32.add (local.get $rows) (local.get $stride)))
        (local.set $r1 (local.get $rowEnd))
        (local.set $r2 (i32.add (local.get $r1) (local.get $stride)))
        (local.set $r3 (i32.add (local.get $r2) (local.get $stride)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $eightComponents
          (local.set $q (v128.load $own (local.get $at)))
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s $file (local.get $rows)) (local.get $q))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s $file (local.get $r1)) (local.get $q))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_s $file (local.get $r2)) (local.get $q))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_s $file (local.get $r3)) (local.get $q))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 8)))
          (local.set $r1 (i32.add (local.get $r1) (i32.const 8)))
          (local.set $r2 (i32.add (local.get $r2) (i32.const 8)))
          (local.set $r3 (i32.add (local.get $r3) (i32.const 8)))
          (br_if $eightComponents (i32.lt_u (local.get $rows) (local.get $rowEnd))))
        (local.set $rows (local.get $r3))
        ;; The four sums of each row become one: a0+a2 b0+b2 a1+a3 b1+b3, the same for c and d, then all four.
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
        (local.set $c (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
        (v128.store $own (local.get $out) (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br $fourRows))))

  ;; Writes the dot products of the query with `count` single rows to `out`. `places` has the offset of each row in bytes, from `rows` on.
  (func (export "dotsAt") (param $query i32) (param $rows i32) (param $places i32) (param $count i32) (param $stride i32) (param $out i32)
    (local $row i32) (local $at i32) (local $queryEnd i32) (local $placesEnd i32) (local $a v128) (local $b v128)
    (local.set $placesEnd (i32.add (local.get $places) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $queryEnd (i32.add (local.get $query) (i32.shl (local.get $stride) (i32.const 1))))
    (block $done
      (loop $nextRow
        (br_if $done (i32.ge_u (local.get $places) (local.get $placesEnd)))
        (local.set $row (i32.add (local.get $rows) (i32.load $own (local.get $places))))
        (local.set $at (local.get $query))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (loop $eightComponents
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s $file (local.get $row)) (v128.load $own (local.get $at)))))
          (local.set $row (i32.add (local.get $row) (i32.const 8)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $eightComponents (i32.lt_u (local.get $at) (local.get $queryEnd))))
        (local.set $b (i32x4.add (local.get $a) (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $a) (local.get $a))))
        (i32.store $own (local.get $out) (i32.add (i32x4.extract_lane 0 (local.get $b)) (i32x4.extract_lane 1 (local.get $b))))
        (local.set $places (i32.add (local.get $places) (i32.const 4)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $nextRow)))))
