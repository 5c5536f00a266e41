import { DEFAULT_PORT } from '../world/traffic/address.ts'

/** The address of a sandbox, as documents, recordings and HAR files show it. */
export class Origin {
  #url: string
  #isListening = false

  /** `replayed`: the address of the recorded sandbox, used while its recording is replayed. */
  constructor(port: number, replayed?: string) {
    this.#url = replayed ?? `http://localhost:${port || DEFAULT_PORT}`
  }

  readonly url = (): string => this.#url

  /** Sets the address at which the sandbox listens. */
  readonly listening = (url: string): void => {
    this.#isListening = true
    this.#url = url
  }

  /** Sets the address of a host server. The address at which the sandbox listens has precedence. */
  readonly mounted = (url: string): void => {
    if (!this.#isListening) this.#url = url
  }
}
