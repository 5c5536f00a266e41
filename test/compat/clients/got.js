import got from 'got'
import { expectPets, headers, url, useUpLimit } from './store.js'

await useUpLimit()
expectPets(await got(url, { headers }).json())
