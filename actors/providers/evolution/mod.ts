/** WhatsApp paired by QR code, through a gateway that speaks Evolution API's HTTP interface (version 2). */
export { Evolution } from './provider.ts'
