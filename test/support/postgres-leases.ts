/** Leases of the processes in the tests. Short, because tests wait for leases to expire, but long enough for a busy machine. */
export const LEASE_MS = 4000
export const IDLE_TRANSACTION_MS = 3000
