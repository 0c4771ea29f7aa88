import type { Authenticator, CredentialChecker } from './auth.ts'

/** Tries each kind of credential in turn. Routes don't know which kinds there are. */
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
