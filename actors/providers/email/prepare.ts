/**
 * The words of a mail that has HTML alone, read before the call goes to the project: the project's turns are synchronous,
 * and a stranger chose the HTML. What comes of it is a call like those of senders that read the HTML themselves, so it is
 * signed anew.
 */
import { isObject, parseCall, textOf } from '../json.ts'
import type { Credentials, HookCall } from '../provider.ts'
import { signCall, verifyCall } from '../signed_call.ts'
import type { HtmlReader } from './html_reader.ts'

/** The call itself when there is nothing to read in it, or its proof is wrong: whoever takes it apart says so. */
export async function prepareCall(
  call: HookCall,
  credentialsOf: () => Promise<Credentials>,
  now: Date,
  reader: HtmlReader,
): Promise<HookCall> {
  // Most calls need no look at the channel.
  if (!call.raw.includes('"html"')) return call
  const { inbound_secret: secret = '' } = await credentialsOf()
  if (!verifyCall(secret, call.raw, call.signature, now)) return call
  const mail = parseCall(call.raw)
  if (!isObject(mail) || isObject(mail.bounce) || textOf(mail.text) !== null) return call
  const html = textOf(mail.html)
  if (html === null) return call
  const text = await reader.read(html, secret)
  const raw = JSON.stringify({ ...mail, ...(text === undefined ? { unreadable: true } : { text }) })
  return { raw, signature: signCall(secret, raw, now) }
}
