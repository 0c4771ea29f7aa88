/* For `node --import`. Simulates the deadlock of Node's threads in `process.exit`, which happens by itself only now and then. */
process.reallyExit = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
