/** The texts of e-mails about unread messages, in the languages of the web chat. */

type MailWords = {
  subject: (count: number, shop: string) => string
  intro: (count: number) => string
  earlier: (count: number) => string
  file: (name: string | null) => string
  back: (url: string) => string
  reason: (shop: string) => string
}

const EN: MailWords = {
  subject: (count, shop) => (count === 1 ? `New message from ${shop}` : `${count} new messages from ${shop}`),
  intro: (count) => (count === 1 ? 'You have an unread message in our chat:' : 'You have unread messages in our chat:'),
  earlier: (count) => `… and ${count} more before these.`,
  file: (name) => (name === null ? 'A file' : `File: ${name}`),
  back: (url) => `To the chat: ${url}`,
  reason: (shop) => `You get this e-mail because this address was left in the chat of ${shop}.`,
}

const ES: MailWords = {
  subject: (count, shop) => (count === 1 ? `Nuevo mensaje de ${shop}` : `${count} mensajes nuevos de ${shop}`),
  intro: (count) =>
    count === 1 ? 'Tienes un mensaje sin leer en nuestro chat:' : 'Tienes mensajes sin leer en nuestro chat:',
  earlier: (count) => `… y ${count} más antes de estos.`,
  file: (name) => (name === null ? 'Un archivo' : `Archivo: ${name}`),
  back: (url) => `Al chat: ${url}`,
  reason: (shop) => `Recibes este correo porque esta dirección se dejó en el chat de ${shop}.`,
}

/** `language`: of the visitor's browser, such as `es-MX`. */
export function mailWords(language: string | null | undefined): MailWords {
  return language?.toLowerCase().split('-')[0] === 'es' ? ES : EN
}
