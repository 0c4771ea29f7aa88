;; Estimates of the scores of many rows by the signs of their components (sign-kernel.ts). `npm run generate` compiles this file to kernel-bytes.ts.
(module
  ;; The query and the results belong to one thread.
  (import "kernel" "memory" (memory $own 1))
  ;; The rows may be in a file that threads share.
  (import "rows" "memory" (memory $file 1 65536 shared))

  ;; Adds up the numbers of the signs of rows in `table`, one sum of 16 bits for each row, to `out`. The rows are in groups of 32. A group has 16 bytes for
  ;; each four components: the low halves of the bytes have the signs of the first 16 rows, the high halves those of the other rows. `table` has
  ;; 16 bytes for each four components: a number from 0 to 63 for each combination of signs. The number of components is a multiple of 16.
  (func (export "sums") (param $table i32) (param $tableEnd i32) (param $signs i32) (param $groups i32) (param $out i32)
    (local $at i32) (local $outEnd i32)
    ;; Sums of the first and of the last 16 rows: of pairs of bytes as numbers of 16 bits, which may overflow, and of their high bytes.
    (local $firstPairs v128) (local $firstHigh v128) (local $lastPairs v128) (local $lastHigh v128)
    (local $w v128) (local $x v128) (local $y v128) (local $z v128) (local $p v128) (local $q v128) (local $r v128) (local $s v128)
    (local $low v128) (local $high v128)
    (local.set $outEnd (i32.add (local.get $out) (i32.shl (local.get $groups) (i32.const 6))))
    (block $done
      (loop $nextGroup
        (br_if $done (i32.ge_u (local.get $out) (local.get $outEnd)))
        (local.set $at (local.get $table))
        (local.set $firstPairs (v128.const i32x4 0 0 0 0))
        (local.set $firstHigh (v128.const i32x4 0 0 0 0))
        (local.set $lastPairs (v128.const i32x4 0 0 0 0))
        (local.set $lastHigh (v128.const i32x4 0 0 0 0))
        (loop $sixteenComponents
          (local.set $w (v128.load $file (local.get $signs)))
          (local.set $x (v128.load $file offset=16 (local.get $signs)))
          (local.set $y (v128.load $file offset=32 (local.get $signs)))
          (local.set $z (v128.load $file offset=48 (local.get $signs)))
          (local.set $p (v128.load $own (local.get $at)))
          (local.set $q (v128.load $own offset=16 (local.get $at)))
          (local.set $r (v128.load $own offset=32 (local.get $at)))
          (local.set $s (v128.load $own offset=48 (local.get $at)))
          (local.set $low (i8x16.add
            (i8x16.add
              (i8x16.relaxed_swizzle (local.get $p) (v128.and (local.get $w) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
              (i8x16.relaxed_swizzle (local.get $q) (v128.and (local.get $x) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
            (i8x16.add
              (i8x16.relaxed_swizzle (local.get $r) (v128.and (local.get $y) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
              (i8x16.relaxed_swizzle (local.get $s) (v128.and (local.get $z) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))))
          (local.set $high (i8x16.add
            (i8x16.add
              (i8x16.relaxed_swizzle (local.get $p) (v128.and (i16x8.shr_u (local.get $w) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
              (i8x16.relaxed_swizzle (local.get $q) (v128.and (i16x8.shr_u (local.get $x) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))
            (i8x16.add
              (i8x16.relaxed_swizzle (local.get $r) (v128.and (i16x8.shr_u (local.get $y) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f)))
              (i8x16.relaxed_swizzle (local.get $s) (v128.and (i16x8.shr_u (local.get $z) (i32.const 4)) (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))))))
          (local.set $firstPairs (i16x8.add (local.get $firstPairs) (local.get $low)))
          (local.set $firstHigh (i16x8.add (local.get $firstHigh) (i16x8.shr_u (local.get $low) (i32.const 8))))
          (local.set $lastPairs (i16x8.add (local.get $lastPairs) (local.get $high)))
          (local.set $lastHigh (i16x8.add (local.get $lastHigh) (i16x8.shr_u (local.get $high) (i32.const 8))))
          (local.set $signs (i32.add (local.get $signs) (i32.const 64)))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br_if $sixteenComponents (i32.lt_u (local.get $at) (local.get $tableEnd))))
        ;; Subtracting the high bytes leaves the sums of the low bytes. Then both alternate, in the order of the rows.
        (local.set $firstPairs (i16x8.sub (local.get $firstPairs) (i16x8.shl (local.get $firstHigh) (i32.const 8))))
        (local.set $lastPairs (i16x8.sub (local.get $lastPairs) (i16x8.shl (local.get $lastHigh) (i32.const 8))))
        (v128.store $own (local.get $out)
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $firstPairs) (local.get $firstHigh)))
        (v128.store $own offset=16 (local.get $out)
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $firstPairs) (local.get $firstHigh)))
        (v128.store $own offset=32 (local.get $out)
          (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $lastPairs) (local.get $lastHigh)))
        (v128.store $own offset=48 (local.get $out)
          (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $lastPairs) (local.get $lastHigh)))
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (br $nextGroup))))

  ;; Writes the numbers of the rows whose scores may reach the threshold to `out`, the first row as 0, and returns how many there are. Four rows are
  ;; computed at a time, so up to three numbers behind each array are read. A score is at most `base + (sum × sumScale + shift) × factor`, plus
  ;; `rest × restScale × queryScale` for the rest.
  (func (export "promising") (param $sums i32) (param $count i32) (param $factors i32) (param $rests i32) (param $restScales i32)
    (param $base f32) (param $sumScale f32) (param $shift f32) (param $queryScale f32) (param $threshold f32) (param $out i32) (result i32)
    (local $row i32) (local $next i32) (local $bits i32) (local $start i32)
    (local.set $start (local.get $out))
    (block $done
      (loop $fourRows
        (br_if $done (i32.ge_u (local.get $row) (local.get $count)))
        (local.set $bits (i32x4.bitmask (f32x4.ge
          (f32x4.add
            (f32x4.add
              (f32x4.splat (local.get $base))
              (f32x4.mul
                (v128.load $file (local.get $factors))
                (f32x4.add
                  (f32x4.mul (f32x4.convert_i32x4_s (v128.load16x4_u $own (local.get $sums))) (f32x4.splat (local.get $sumScale)))
                  (f32x4.splat (local.get $shift)))))
            (f32x4.mul
              (f32x4.mul (f32x4.convert_i32x4_s (v128.load $own (local.get $rests))) (v128.load $file (local.get $restScales)))
              (f32x4.splat (local.get $queryScale))))
          (f32x4.splat (local.get $threshold)))))
        (local.set $next (local.get $row))
        (block $none
          (loop $nextBit
            (br_if $none (i32.eqz (local.get $bits)))
            (if (i32.and (local.get $bits) (i32.lt_u (local.get $next) (local.get $count)))
              (then
                (i32.store $own (local.get $out) (local.get $next))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            (local.set $bits (i32.shr_u (local.get $bits) (i32.const 1)))
            (br $nextBit)))
        (local.set $row (i32.add (local.get $row) (i32.const 4)))
        (local.set $sums (i32.add (local.get $sums) (i32.const 8)))
        (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
        (local.set $rests (i32.add (local.get $rests) (i32.const 16)))
        (local.set $restScales (i32.add (local.get $restScales) (i32.const 16)))
        (br $fourRows)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $start)) (i32.const 2))))
