let stuck = false

/** A keychain call in this process did not come back. */
export function noteStuckKeychain(): void {
  stuck = true
}

/** True once a keychain call did not come back: its thread is lost, and `process.exit` would wait for it for ever. */
export function keychainIsStuck(): boolean {
  return stuck
}
