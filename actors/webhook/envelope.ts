type EventRecord = { id: string; type: string; created_at: Date; project_id: string; data: unknown }

/** The body of every delivery of an event. Built once: attempts and receivers get the same bytes, so signatures hold. */
export function envelopeOf(event: EventRecord): string {
  const { id, type, created_at, project_id, data } = event
  return JSON.stringify({ id, type, created_at, project_id, data })
}

/** Marks the data of a test event. */
export function testData(example: Record<string, unknown>): Record<string, unknown> {
  return { ...example, _test: true }
}
