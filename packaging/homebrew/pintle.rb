class Pintle < Formula
  desc "Lifecycle hooks for AI agents"
  homepage "https://github.com/@REPOSITORY@"
  url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pintle-@VERSION@-source.tar.gz"
  sha256 "@SOURCE_SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/cli")
    generate_completions_from_executable(bin/"pintle", "completions", shells: [:bash, :zsh, :fish])
    (buildpath/"man").mkpath
    system bin/"pintle", "man", buildpath/"man"
    man1.install Dir["man/*.1"]
  end

  test do
    output = shell_output("#{bin}/pintle try 'rm -rf ~' --packs shell 2>&1", 2)
    assert_match "[shell.delete-", output
  end
end
