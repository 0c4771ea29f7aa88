/*
 * For `node --import`. The first child process is the guard of the parser pool. Of the next two, both told to end, the second dies
 * between the moment in which this process reads what there is and the moment in which it asks who has died: it learns of the
 * second's exit before the end of its standard error. On a busy machine that happens by itself.
 */
import { subscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'

let children = 0
let first

subscribe('child_process', ({ process: child }) => {
  children += 1
  if (children === 2) first = child
  if (children === 3) late(child)
})

function late(child) {
  const kill = child.kill.bind(child)
  child.kill = (signal) => {
    first.stderr.once('end', () => {
      kill(signal)
      untilDead(child.pid)
    })
    untilDead(first.pid)
    return true
  }
}

/** While this thread stands still, nothing of it is noticed. Linux keeps what ended until its parent asks. */
function untilDead(pid) {
  while (readdirSync(`/proc/${pid}/task`).length > 1 || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}
