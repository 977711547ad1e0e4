/** The bytes that came back over a connection, and the requests that were carried out. */
export type Outcome = {
  /** The statuses in order. */
  answers: number[]
  /** The method and body of each request that reached a route. */
  carried: string[]
  end: 'open' | 'closed'
}

export type Case = {
  name: string
  /** One packet or several. The text is Latin-1, so that each character is a byte. */
  send: string | string[]
  /** The outcome that HTTP asks for. `refused` is an error or a connection that ends, with nothing carried out. */
  wants: Outcome | 'refused'
  /** The real outcome, where the parser cannot give the wanted one. */
  but?: Outcome & { why: Reason }
}

/** The reasons for answers that differ from HTTP. The operations guide says what to do about them. */
export const reasons = {
  silent:
    'The parser takes a line that is no header for one that is not complete, and waits until its ten seconds are over.',
  split: 'The parser wants the end of the request line in one packet, and calls it another version of HTTP otherwise.',
  version: 'The parser knows no version but 1.1, and no target but a path.',
  nameless: 'The parser ends the headers at one without a name: neither we nor it see those behind.',
  framing:
    'The parser keeps the framing of chunks to itself. Nothing behind such a body is read, so nothing can hide there.',
  extension: 'The parser reads what stands behind the size of a chunk as further digits of it, up to a blank.',
  trimmed: 'The parser takes bytes beyond ASCII at either end of a value for blanks, and hands us what is left.',
  trailer: 'The parser knows no trailer, and takes it for a request that is none.',
  chunked: 'The connection ends with a chunked body, since its end cannot be trusted.',
  packet:
    'A request in the packet of one that waits for its answer: the parser cuts the connection. Nothing was carried out, so both may be sent again.',
  goodbye: 'The parser goes on with a packet although the answer before says that the connection ends.',
  target: 'The parser lets any byte pass in a path. It is matched as sent, and no route has such a path.',
} as const

export type Reason = keyof typeof reasons

export const took = (carried: string[], end: Outcome['end'] = 'open', status = 200): Outcome => ({
  answers: carried.map(() => status),
  carried,
  end,
})
export const answered = (status: number, end: Outcome['end'] = 'open'): Outcome => ({
  answers: [status],
  carried: [],
  end,
})
export const waits: Outcome = { answers: [], carried: [], end: 'open' }
export const cut: Outcome = { answers: [], carried: [], end: 'closed' }
