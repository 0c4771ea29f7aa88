import { userInfo } from 'node:os'

/**
 * Returns the name of the user who runs this process. In a container with `--user 1000`, the system has no name for the user: then it is that of
 * `USER`, or `owner`.
 */
export function userName(env: Readonly<Record<string, string | undefined>> = process.env): string {
  try {
    return userInfo().username
  } catch {
    // The system has no entry for this user ID.
    return env['USER'] || 'owner'
  }
}
