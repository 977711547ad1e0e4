/**
 * Extracts the text of a mail with HTML alone before the call goes to the project: the project's turns are synchronous,
 * and a stranger chose the HTML. The resulting call looks like those of senders that extract the text themselves, so it
 * is signed anew.
 */
import { isObject, parseCall, textOf } from '../json.ts'
import type { Credentials, HookCall } from '../provider.ts'
import { signCall, verifyCall } from '../signed_call.ts'
import type { HtmlReader } from './html_reader.ts'

/** Returns the call unchanged when there is no HTML to read, or its signature is wrong: `read` reports that. */
export async function prepareCall(
  call: HookCall,
  credentialsOf: () => Promise<Credentials>,
  now: Date,
  reader: HtmlReader,
): Promise<HookCall> {
  // Most calls are done without reading the channel.
  if (!call.raw.includes('"html"')) return call
  const { inbound_secret: secret = '' } = await credentialsOf()
  if (!verifyCall(secret, call.raw, call.signature, now)) return call
  const mail = parseCall(call.raw)
  if (!isObject(mail) || isObject(mail.bounce) || isVisible(mail.text)) return call
  const html = textOf(mail.html)
  if (html === null) return call
  const text = await reader.read(html, secret)
  const raw = JSON.stringify({ ...mail, ...(text === undefined ? { unreadable: true } : { text }) })
  return { raw, signature: signCall(secret, raw, now) }
}

/** Mail programs that write HTML alone often send a text of spaces with it. */
function isVisible(text: unknown): boolean {
  return /[^\s\p{Cf}]/u.test(textOf(text) ?? '')
}
