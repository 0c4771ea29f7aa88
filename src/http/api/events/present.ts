import type { DocumentEvent as WireEvent } from '../../../contract/documents.ts'
import type { DocumentEvent } from '../../../core/model.ts'
import type { Events } from '../../../services/events.ts'

const LISTENING = 'retry: 2000\n: listening\n\n'
const HEARTBEAT = ': heartbeat\n\n'

/** Writes events as server-sent events. JSON has no raw line breaks, so one data line is enough. */
export async function* formatEvents(events: ReturnType<Events['follow']>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event === 'listening') yield LISTENING
    else if (event === 'heartbeat') yield HEARTBEAT
    else yield `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`
  }
}

function presentEvent(event: DocumentEvent): WireEvent {
  return {
    id: event.id,
    type: event.type,
    document_id: event.documentId,
    project_id: event.projectId,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  }
}
