/** Another embedder or index has taken over while a document was worked on: it goes back into the queue. */
export class IndexChanged extends Error {}
