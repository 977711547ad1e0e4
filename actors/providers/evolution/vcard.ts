/** The phone numbers of a vCard (RFC 6350), as WhatsApp writes them: `item1.TEL;waid=34600000000;type=CELL:+34 600 000 000`. */
export function phonesOf(vcard: string): { phone: string; wa_id?: string; type?: string }[] {
  return vcard.split(/\r?\n/).flatMap((line) => {
    const [, parameters = '', phone = ''] = /^(?:[\w-]+\.)?TEL([^:]*):(?:tel:)?(.+)$/i.exec(line.trim()) ?? []
    if (phone === '') return []
    const wa_id = /;waid=(\d+)/i.exec(parameters)?.[1]
    const type = /;type=([\w-]+)/i.exec(parameters)?.[1]
    return [{ phone: phone.trim(), ...(wa_id && { wa_id }), ...(type && { type: type.toUpperCase() }) }]
  })
}
