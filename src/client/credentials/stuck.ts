let stuck = false

/** Notes that a keychain call in this process has not returned. */
export function noteStuckKeychain(): void {
  stuck = true
}

/** True after a keychain call that has not returned: `process.exit` would wait for its thread forever. */
export function isKeychainStuck(): boolean {
  return stuck
}
