-- Drives `pintle lsp` from Neovim, as an editor's user does: a hook with a defect is opened, the finding is shown at its
-- place, words are offered, documented and led to, and the finding goes when the text is corrected.
--
--   PINTLE=target/debug/pintle nvim --headless --clean -u NONE -l .ci/editor/check.lua
--
-- Neovim before 0.9 has no `-l`; `-c 'luafile ..'` does the same.

local pintle = vim.fn.fnamemodify(os.getenv("PINTLE") or "target/debug/pintle", ":p")
local patience_ms = 60000

local function fail(message)
  io.stderr:write("editor: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function wait_for(what, condition)
  if not vim.wait(patience_ms, condition, 10) then
    fail("waited in vain for " .. what)
  end
end

local function expect(condition, what)
  if not condition then
    fail("not as expected: " .. what)
  end
end

-- A project that nobody trusts, with a program that would tell if it was run.
local root = vim.fn.tempname()
vim.fn.mkdir(root .. "/.harness/hooks", "p")
vim.fn.mkdir(root .. "/home", "p")
vim.env.HOME = root .. "/home"
local path = root .. "/.harness/hooks/guard.md"
vim.fn.writefile({
  "---",
  "event: tool.pre",
  "priority: 10",
  "script: |",
  "  def refuse(why):",
  "      return block(why)",
  "  def handle(event, payload):",
  '      if "é😀" in payload["args"]: return blok("no")',
  '      if payload["name"] == "shell":',
  '          return refuse("no")',
  "      return allow()",
  "examples:",
  "  - call: npm publish",
  "    expect: block",
  "---",
  "# guard",
}, path)

vim.cmd("edit " .. path)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "pintle", cmd = { pintle, "lsp" }, root_dir = root })
expect(client, "the server starts")
vim.lsp.buf_attach_client(buffer, client)

local function findings()
  return vim.diagnostic.get(buffer)
end

wait_for("a finding", function() return #findings() > 0 end)
local found = findings()[1]
expect(found.code == "unknown_name", "the finding's code: " .. vim.inspect(found))
expect(found.source == "pintle", "the finding's source")
expect(found.severity == vim.diagnostic.severity.ERROR, "the finding's severity")
expect(found.message:find("did you mean `block`?", 1, true), "the finding's next step: " .. found.message)
-- Neovim counts bytes: the place is right although characters before it are not ASCII.
local line = vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, true)[1]
expect(line:sub(found.col + 1, found.end_col) == "blok", "the finding's place: " .. line:sub(found.col + 1, found.end_col))

local function ask(method, row, column)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = row, character = column } }
  local answers = vim.lsp.buf_request_sync(buffer, method, params, patience_ms)
  expect(answers and answers[client], method .. " is answered")
  return answers[client].result
end

local function has_label(result, wanted)
  for _, item in ipairs(result.items) do
    if item.label == wanted then
      return true
    end
  end
  return false
end

expect(has_label(ask("textDocument/completion", 1, 7), "tool.pre"), "events are offered")
expect(has_label(ask("textDocument/completion", 8, 18), "operations"), "fields of the payload are offered")
expect(has_label(ask("textDocument/completion", 8, 29), "Bash"), "tools are offered")
expect(ask("textDocument/hover", 1, 9).contents.value:find("about to run", 1, true), "the event is documented")
expect(ask("textDocument/definition", 9, 19).range.start.line == 4, "a function leads to its definition")

-- The correction, typed.
local corrected = line:gsub("blok", "block")
vim.api.nvim_buf_set_lines(buffer, found.lnum, found.lnum + 1, true, { corrected })
wait_for("the finding to go", function() return #findings() == 0 end)
local hints = ask("textDocument/inlayHint", 0, 0)
expect(hints and hints[1] and hints[1].label == "✓ block", "the outcome of the example is shown: " .. vim.inspect(hints))

-- And the defect again, in another place.
vim.api.nvim_buf_set_lines(buffer, 1, 2, true, { "event: tool.per" })
wait_for("another finding", function() return #findings() > 0 and findings()[1].lnum == 1 end)
vim.api.nvim_buf_set_lines(buffer, 1, 2, true, { "event: tool.pre" })
wait_for("that finding to go", function() return #findings() == 0 end)

vim.lsp.stop_client(client)
wait_for("the server to end", function() return not vim.lsp.get_client_by_id(client) or vim.lsp.get_client_by_id(client).is_stopped() end)
io.stdout:write("a hook was checked, completed and corrected in Neovim " .. tostring(vim.version().major) .. "." .. tostring(vim.version().minor) .. "\n")
vim.cmd("quitall!")
