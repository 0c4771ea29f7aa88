import type { Authenticator, CredentialChecker } from './auth.ts'

/** Asks each kind of credential in turn. A new kind joins here; no route knows how many there are. */
export function createAuthenticator(checkers: readonly CredentialChecker[]): Authenticator {
  return {
    async authenticate(credential) {
      for (const checker of checkers) {
        const principal = await checker.check(credential)
        if (principal !== null) return principal
      }
      return null
    },
  }
}
