import type { DocumentEvent as WireEvent } from '../../../contract/documents.ts'
import type { DocumentEvent } from '../../../core/model.ts'

/** An event's data as the wire has it. */
export function presentEvent(event: DocumentEvent): WireEvent {
  return {
    id: event.id,
    type: event.type,
    document_id: event.documentId,
    project_id: event.projectId,
    created_at: event.createdAt.toISOString(),
    data: event.data,
  }
}

/** As server-sent event: JSON has no raw line ends, so one data line is enough. */
export function formatEvent(event: DocumentEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`
}
