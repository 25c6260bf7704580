# What each of minitest's tests did, as JSON lines. Carried into the sandbox as `minitest/autofix_plugin.rb` on Ruby's
# load path, where minitest looks for plug-ins; it uses the standard library alone.
require "json"

module Minitest
  class AutofixReporter < AbstractReporter
    def initialize(path)
      super()
      @file = File.open(path, "a")
    end

    def record(result)
      file, line = result.respond_to?(:source_location) ? result.source_location : nil
      told = {
        "class" => result.respond_to?(:klass) ? result.klass : result.class.name,
        "name" => result.name,
        "file" => file,
        "line" => line,
        "seconds" => result.time,
        "outcome" => result.skipped? ? "skipped" : result.error? ? "error" : result.passed? ? "passed" : "failed",
        "message" => result.failures.map { |failure| failure.message }.join("\n\n"),
      }
      @file.puts(JSON.generate(told.transform_values { |value| value.is_a?(String) ? value.scrub : value }))
      @file.flush
    end
  end

  def self.plugin_autofix_init(options)
    path = ENV["AUTOFIX_MINITEST_REPORT"]
    reporter << AutofixReporter.new(path) if path
  end
end
