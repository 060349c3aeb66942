// Forwards the conformance suite's requests to Mooring's gateway and adds a token, which the suite cannot send: `node
// with-token.mjs PORT`, with the token in `MOORING_TOKEN`. Prints its port.

import { createServer, request } from "node:http";

const [port] = process.argv.slice(2);
const authorization = `Bearer ${process.env.MOORING_TOKEN}`;

const proxy = createServer((asked, answer) => {
  const { method, url: path } = asked;
  const passed = request({ host: "127.0.0.1", port, method, path, headers: { ...asked.headers, authorization } });
  passed.on("response", (response) => {
    answer.writeHead(response.statusCode, response.statusMessage, response.headers);
    // A stream may be silent for a long time.
    answer.flushHeaders();
    response.pipe(answer);
    // Abort the response if the gateway aborts it.
    response.on("aborted", () => answer.destroy());
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  asked.pipe(passed);
});
proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
