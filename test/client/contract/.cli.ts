import { main } from '/work/main/src/cli/main.ts'

await main(process.argv)
