;; Dot products of the rest of a query with the rest of many rows (rest-kernel.ts). `npm run generate` compiles this file to kernel-bytes.ts.
(module
  ;; The query and the sums belong to one thread.
  (import "kernel" "memory" (memory $own 1))
  ;; The rows are in a file that threads share.
  (import "rows" "memory" (memory $file 1 65536 shared))

  ;; Adds the products of the query with a block of `rows` rows to `sums`, which has one 32-bit number for each row. `query` has pairs of 32-bit numbers:
  ;; 4 times the dimension, and the component. `ends` is where the block's part of the section `restEnds` is, and `firstEnds` where the section
  ;; itself is. `rest` is where the section `rest` is. Up to three numbers after the last row mean nothing. `ranges` is memory for a pair of 32-bit
  ;; numbers for each pair of the query, and one more number.
  (func (export "addRest") (param $query i32) (param $queryEnd i32) (param $ends i32) (param $firstEnds i32) (param $rest i32) (param $rows i32) (param $sums i32)
    (param $ranges i32)
    (local $at i32) (local $end i32) (local $component i32) (local $sum i32) (local $components v128) (local $next i32) (local $range i32)
    ;; First looks up where each dimension starts and ends, and reads its first and last byte. The processor waits for many of these bytes at once, so
    ;; this takes a fraction of the time of fetching one dimension after another into its cache.
    (local.set $next (local.get $query))
    (local.set $range (local.get $ranges))
    (block $fetched
      (loop $fetch
        (br_if $fetched (i32.ge_u (local.get $next) (local.get $queryEnd)))
        (local.set $end (i32.add (local.get $ends) (i32.load $own (local.get $next))))
        (local.set $at (i32.add (local.get $rest)
          (select
            (i32.const 0)
            (i32.load $file (i32.sub (local.get $end) (i32.const 4)))
            (i32.eq (local.get $end) (local.get $firstEnds)))))
        (local.set $end (i32.add (local.get $rest) (i32.load $file (local.get $end))))
        (i32.store $own (local.get $range) (local.get $at))
        (i32.store $own offset=4 (local.get $range) (local.get $end))
        (local.set $sum (i32.add (local.get $sum)
          (i32.add (i32.load8_u $file (local.get $at)) (i32.load8_u $file (i32.sub (local.get $end) (i32.const 1))))))
        (local.set $next (i32.add (local.get $next) (i32.const 8)))
        (local.set $range (i32.add (local.get $range) (i32.const 8)))
        (br $fetch)))
    (i32.store $own (local.get $range) (local.get $sum))
    (local.set $range (local.get $ranges))
    (block $done
      (loop $nextDimension
        (br_if $done (i32.ge_u (local.get $query) (local.get $queryEnd)))
        (local.set $component (i32.load $own offset=4 (local.get $query)))
        (local.set $at (i32.load $own (local.get $range)))
        (local.set $end (i32.load $own offset=4 (local.get $range)))
        (local.set $query (i32.add (local.get $query) (i32.const 8)))
        (local.set $range (i32.add (local.get $range) (i32.const 8)))
        (br_if $nextDimension (i32.eq (local.get $at) (local.get $end)))
        (if (i32.eq (i32.sub (local.get $end) (local.get $at)) (local.get $rows))
          (then
            ;; One component for each row, four at a time.
            (local.set $components (i32x4.splat (local.get $component)))
            (local.set $sum (local.get $sums))
            (loop $fourRows
              (v128.store $own (local.get $sum)
                (i32x4.add
                  (v128.load $own (local.get $sum))
                  (i32x4.mul
                    (local.get $components)
                    (i32x4.extend_low_i16x8_s (i16x8.extend_low_i8x16_s (v128.load32_zero $file (local.get $at)))))))
              (local.set $sum (i32.add (local.get $sum) (i32.const 16)))
              (local.set $at (i32.add (local.get $at) (i32.const 4)))
              (br_if $fourRows (i32.lt_u (local.get $at) (local.get $end)))))
          (else
            ;; Pairs of a row and its component.
            (loop $nextPair
              (local.set $sum (i32.add (local.get $sums) (i32.shl (i32.load8_u $file (local.get $at)) (i32.const 2))))
              (i32.store $own (local.get $sum)
                (i32.add
                  (i32.load $own (local.get $sum))
                  (i32.mul (local.get $component) (i32.load8_s $file offset=1 (local.get $at)))))
              (local.set $at (i32.add (local.get $at) (i32.const 2)))
              (br_if $nextPair (i32.lt_u (local.get $at) (local.get $end))))))
        (br $nextDimension)))))
